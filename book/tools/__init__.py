"""The parts of the run tool: which chapters there are, how one is run, what it must prove."""
