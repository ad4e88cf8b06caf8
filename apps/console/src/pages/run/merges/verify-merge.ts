import type { Json, JsonObject } from '@baton/client';
import { checksumOf, isSameJson } from '../../../checksum/checksum.ts';
import type { MergeView } from './merge-view.ts';

/**
 * Recomputes the checksums of a handoff from the values themselves, and compares them with what the log of the parent
 * recorded. Nothing of the result comes from the host: the host only delivers the logs.
 */

export type Agreement = 'equal' | 'different' | 'unknown';

/** One comparison, in words. */
export interface Check {
  readonly name: string;
  readonly agreement: Agreement;
  /** What was compared, as a sentence. */
  readonly text: string;
  readonly computed?: string;
  readonly recorded?: string;
}

type Mapping = Readonly<Record<string, string>>;

/** What is needed for a verification and is not in the log of the parent. */
export interface Evidence {
  /** The variables of the child at its end; absent if they cannot be read or the child has not completed. */
  readonly child?: JsonObject;
  /**
   * The output mapping of the node, from names of the parent to names of the child. Empty: the node has none. Absent:
   * the definition with which the run was started cannot be read.
   */
  readonly mapping?: Mapping;
  /** The mapping of the values that were merged, as the host tells it. It may lack outputs that were not merged. */
  readonly likelyMapping?: Mapping;
  /**
   * Ids of this tree and the ids that its runs had when the checksums were made, for a replay.
   * Values can contain such ids.
   */
  readonly formerIds: readonly (readonly [here: string, there: string])[];
}

export interface Verification {
  readonly checks: readonly Check[];
  readonly agreement: Agreement;
}

/** In the place of a value that the host keeps secret. */
const HIDDEN = '[REDACTED]';

export function verifyMerge(merge: MergeView, evidence: Evidence): Verification {
  const outputs = outputsOf(merge, evidence);
  const checks = [
    ...checksumChecks(merge, evidence, outputs),
    ...editChecks(merge, evidence),
    ...valueChecks(merge, evidence, merge.edited ?? outputs),
  ];
  return { checks, agreement: together(checks) };
}

function together(checks: readonly Check[]): Agreement {
  if (checks.some(({ agreement }) => agreement === 'different')) return 'different';
  return checks.length === 0 || checks.some(({ agreement }) => agreement === 'unknown') ? 'unknown' : 'equal';
}

/**
 * The variables of the child that the checksum covers, by the names that the child uses. Without the definition of the
 * workflow the names are those that a person was asked about, or those that were merged.
 */
function outputsOf(merge: MergeView, { child, mapping, likelyMapping }: Evidence): JsonObject | undefined {
  if (child === undefined) return undefined;
  if (mapping !== undefined) {
    const names = Object.values(mapping);
    return names.length === 0 ? child : pick(child, names);
  }
  const names = merge.artifact ? Object.keys(merge.artifact) : Object.values(likelyMapping ?? {});
  return names.length === 0 ? undefined : pick(child, names);
}

function pick(values: JsonObject, names: readonly string[]): JsonObject {
  const picked: Record<string, Json> = {};
  for (const name of names) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

function checksumChecks(
  merge: MergeView,
  evidence: Evidence,
  outputs: JsonObject | undefined,
): readonly Check[] {
  const name = 'Checksum of the outputs';
  if (merge.checksums.length === 0) return [];
  if (outputs === undefined) return [{ name, agreement: 'unknown', text: whyNoOutputs(evidence) }];
  if (holdsHidden(outputs)) return [{ name, agreement: 'unknown', text: SECRET }];
  return merge.checksums.map((recorded) => {
    const { computed, agreement } = compare(outputs, recorded, evidence);
    const isGuess = evidence.mapping === undefined && merge.artifact === undefined;
    if (agreement === 'different' && isGuess) return { name, agreement: 'unknown', text: NAMES_UNKNOWN };
    const words = namesText(Object.keys(outputs));
    const text =
      agreement === 'equal'
        ? `The checksum of ${words}, read from the child run now, equals the one that the log recorded.`
        : `The checksum of ${words}, read from the child run now, differs from the one that the log recorded.`;
    return { name, agreement, text, computed, recorded };
  });
}

const SECRET =
  'The host keeps a part of these values secret, so the browser cannot compute their checksum. The host can: see its own result.';

const NAMES_UNKNOWN =
  'The workflow has another definition now, and the log does not name the outputs, so they could not be compared.';

function whyNoOutputs({ child }: Evidence): string {
  return child === undefined
    ? 'The child run has not completed, or its values can no longer be read.'
    : NAMES_UNKNOWN;
}

function namesText(names: readonly string[]): string {
  if (names.length === 0) return 'no outputs';
  const shown = names.slice(0, 5).map((name) => `“${name}”`);
  const rest = names.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** Tries the values as they are and as they were written when the runs had other ids. */
function compare(values: JsonObject, recorded: string, { formerIds }: Evidence) {
  const computed = checksumOf(values);
  if (computed === recorded || formerIds.length === 0)
    return { computed, agreement: agreementOf(computed, recorded) };
  const text = formerIds.reduce(
    (json, [here, there]) => json.replaceAll(here, there),
    JSON.stringify(values),
  );
  const former = checksumOf(JSON.parse(text) as Json);
  return { computed: former, agreement: agreementOf(former, recorded) };
}

function agreementOf(computed: string, recorded: string): Agreement {
  return computed === recorded ? 'equal' : 'different';
}

function editChecks({ edited, editedChecksum }: MergeView, evidence: Evidence): readonly Check[] {
  const name = 'Checksum of the edit';
  if (edited === undefined && editedChecksum === undefined) return [];
  if (edited === undefined || editedChecksum === undefined) {
    const text = 'The log has an edit without a checksum, or a checksum without an edit.';
    return [{ name, agreement: edited === undefined ? 'different' : 'unknown', text }];
  }
  if (holdsHidden(edited)) return [{ name, agreement: 'unknown', text: SECRET }];
  const { computed, agreement } = compare(edited, editedChecksum, evidence);
  const text = `The checksum of the values that a person entered ${agreement === 'equal' ? 'equals' : 'differs from'} the one that the log recorded.`;
  return [{ name, agreement, text, computed, recorded: editedChecksum }];
}

/** Each merged value against the output, or the edit of it, that it came from. */
function valueChecks(
  merge: MergeView,
  { mapping, likelyMapping }: Evidence,
  source: JsonObject | undefined,
): readonly Check[] {
  const origin = merge.edited === undefined ? 'the output of the child run' : 'the edit of the person';
  return merge.values.map(({ name: variable, next }) => {
    const name = `Value of “${variable}”`;
    const from = (mapping ?? likelyMapping)?.[variable];
    if (source === undefined || from === undefined) {
      const text = 'It is not known which output this value came from, so it was not compared.';
      return { name, agreement: 'unknown', text };
    }
    const given = Object.hasOwn(source, from) ? source[from] : undefined;
    const same = isSameJson(next, given);
    if (!same && holdsHidden(next)) return { name, agreement: 'unknown', text: SECRET };
    const as = from === variable ? '' : ` (“${from}” in the child run)`;
    const text = same
      ? `The value in this run is ${origin}${as}.`
      : `The value in this run is not ${origin}${as}.`;
    return { name, agreement: same ? 'equal' : 'different', text };
  });
}

function holdsHidden(value: Json | undefined): boolean {
  return value !== undefined && JSON.stringify(value).includes(HIDDEN);
}
