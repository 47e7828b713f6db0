ws_system_test(test_install.py)
