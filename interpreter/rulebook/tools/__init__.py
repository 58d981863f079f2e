"""What is done with rule files beside playing them."""
