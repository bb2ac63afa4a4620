"""How do we talk to a database? The same few verbs for SQLite and PostgreSQL."""
