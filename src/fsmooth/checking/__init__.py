"""Derivatives compared with each other and with differences, and the rules of custom derivatives with both."""
