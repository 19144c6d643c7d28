"""Makes the ABI database (stubs/abi) from real headers and libraries: python3 -m harvest --help."""
