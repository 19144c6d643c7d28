"""Makes the ABI database (stubs/abi) from NVIDIA's headers and libraries: python3 -m harvest --help."""
