import { readFileSync } from 'node:fs';
import type { WorkflowDefinition } from '@baton/protocol';

/** A workflow in the folder of the examples. */
export function example(path: string): WorkflowDefinition {
  const file = new URL(`../../examples/${path}`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as WorkflowDefinition;
}
