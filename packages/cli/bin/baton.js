#!/usr/bin/env node
import { load } from './entry.mjs';

const { main } = await load();
await main(process.argv.slice(2));
