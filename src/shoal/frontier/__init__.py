"""Which URL next, and when may its host be asked? Queues, host schedule, politeness, robots rules, scope, traps."""
