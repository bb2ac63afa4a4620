"""Which pages answer this? A full-text index of documents (tantivy), and the language in which it is asked."""
