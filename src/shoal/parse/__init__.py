"""What does a response say? Bytes in, a page out: charset, markup, main text, links, images, language, dates."""
