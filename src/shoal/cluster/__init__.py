"""How do many machines crawl together? RabbitMQ carries tasks to workers and results home; the coordinator decides alone."""
