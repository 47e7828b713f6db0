ws_fuzz_target(fuzz_http)
ws_fuzz_target(fuzz_config)
ws_fuzz_target(fuzz_jsonl)
ws_fuzz_target(fuzz_schema_json)
