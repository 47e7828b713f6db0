ws_fuzz_target(fuzz_http)
ws_fuzz_target(fuzz_config)
