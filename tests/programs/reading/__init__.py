"""What options a program takes, out of its source files, without running them."""
