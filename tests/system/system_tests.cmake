ws_system_test(test_install.py)
ws_system_test(test_run_counts.py lint)
