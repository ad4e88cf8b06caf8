import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '@baton/protocol';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';

/**
 * Checks events against the protocol's own JSON Schemas, wherever the variable OPENWOP_REFERENCE names a
 * folder with them. Every event that a test emits passes through here.
 */

const folder = process.env.OPENWOP_REFERENCE;
const schemas = folder === undefined ? undefined : join(folder, 'schemas');
export const referenceFolder = schemas !== undefined && existsSync(schemas) ? folder : undefined;

const PAYLOADS = 'https://openwop.dev/spec/v1/run-event-payloads.schema.json';
const ENVELOPE = 'https://openwop.dev/spec/v1/run-event.schema.json';

interface Official {
  readonly envelope: ValidateFunction;
  payload(type: string): ValidateFunction | undefined;
  document(name: string): ValidateFunction | undefined;
}

let loaded: Official | undefined;

function official(): Official | undefined {
  if (referenceFolder === undefined) return undefined;
  loaded ??= load(join(referenceFolder, 'schemas'));
  return loaded;
}

function load(from: string): Official {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  (addFormatsModule as unknown as (ajv: Ajv2020) => void)(ajv);
  for (const name of readdirSync(from).filter((file) => file.endsWith('.json'))) {
    ajv.addSchema(JSON.parse(readFileSync(join(from, name), 'utf8')));
  }
  const index = JSON.parse(readFileSync(join(from, 'run-event-payloads.schema.json'), 'utf8')).$defs
    ._typeIndex.properties as Record<string, { $ref: string }>;
  const envelope = ajv.getSchema(ENVELOPE);
  if (envelope === undefined) throw new Error('the reference has no schema for events');
  return {
    envelope,
    payload: (type) => {
      const found = index[type];
      return found && ajv.getSchema(`${PAYLOADS}${found.$ref}`);
    },
    document: (name) => ajv.getSchema(`https://openwop.dev/spec/v1/${name}.schema.json`),
  };
}

/** Throws when the event is not what the protocol's schemas say, but for the two known gaps in them. */
export function checkOfficial(event: RunEvent): void {
  const rules = official();
  if (rules === undefined || isKnownGap(event)) return;
  for (const [check, value] of [
    [rules.envelope, event],
    [rules.payload(event.type), event.payload],
  ] as const) {
    if (check === undefined || check(value)) continue;
    const why = JSON.stringify(check.errors?.[0]);
    throw new Error(`${event.type} is not of the protocol's schema: ${why} in ${JSON.stringify(value)}`);
  }
}

/** Throws when a document, such as `debug-bundle`, is not what the protocol's schema of that name says. */
export function checkOfficialDocument(name: string, value: unknown): void {
  const rules = official();
  const check = rules?.document(name);
  if (rules !== undefined && check === undefined) throw new Error(`the reference has no schema ${name}`);
  if (check === undefined || check(value)) return;
  throw new Error(`${name} is not of the protocol's schema: ${JSON.stringify(check.errors?.[0])}`);
}

/** Two decision kinds and one breach kind are in the protocol's prose, but not in its schemas. */
function isKnownGap(event: RunEvent): boolean {
  if (event.type === 'runOrchestrator.decided') {
    return event.payload.decision.kind === 'clarify' || event.payload.decision.kind === 'escalate';
  }
  return event.type === 'cap.breached' && event.payload.kind === 'dispatch-iterations';
}
