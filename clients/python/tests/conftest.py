# The tests run on the sources, without an installation. pytester runs a pytest in a test.
pytest_plugins = ["pytester", "pytest_tapedeck.plugin"]
