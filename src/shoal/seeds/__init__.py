"""Where does a crawl begin? Sources that suggest pages, and the user's choice among them.

searxng  a search engine of one's own         ┐
published  a sitemap, a feed or a whole site  ┴─► suggestions ─choosing─► the topic file
"""
