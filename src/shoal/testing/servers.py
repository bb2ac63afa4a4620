"""How do tests and benchmarks get a real RabbitMQ and a real PostgreSQL?

    with PostgreSQL() as server:
        url = server.create_database()

Each server is our own: free ports of 127.0.0.1, a folder that goes with it, a password of its own. `kill` is what a crash does to
the server's process, `start` afterwards brings back the same port and the same data. Two of a kind can run side by side. How they
never outlive the tests: `daemons.py`.
"""

from shoal.testing.daemons import ServerError
from shoal.testing.postgresql import PostgreSQL
from shoal.testing.rabbitmq import RabbitMQ

__all__ = ["PostgreSQL", "RabbitMQ", "ServerError"]
