"""The imperative representation: functions of loops, stores and checks between `lower` and the back-ends."""
