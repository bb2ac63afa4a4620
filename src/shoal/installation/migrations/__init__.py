"""By which numbered steps did the installation's database become what it is? Alembic scripts (`schema_migration.py`).

A step is never changed once it was published: databases out there have taken it. It uses nothing of `installation_tables.py`,
which says what is today, not what was when the step was written.
"""
