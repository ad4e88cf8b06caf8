import { isJsonObject, type Json, type JsonObject, type WorkflowNode } from '@baton/protocol';
import { approversText } from './gate-stages.ts';

/** The few words of a configuration that tell a reader what a node does. */
export function detailsOf({ typeId, config = {}, settings = {}, agent }: WorkflowNode): readonly string[] {
  const given = config as JsonObject;
  const { decide, timeoutMs, retry } = settings;
  return [
    ...(agent === undefined ? [] : [`agent ${agent.agentId}`]),
    ...(decide === undefined ? [] : [`decides by ${decide}`]),
    ...(OF_TYPE[typeId]?.(given) ?? []),
    ...(timeoutMs === undefined ? [] : [`at most ${duration(timeoutMs)}`]),
    ...(retry === undefined ? [] : [`${retry.maxRetries} ${retry.maxRetries === 1 ? 'retry' : 'retries'}`]),
  ];
}

const OF_TYPE: Readonly<Record<string, (config: JsonObject) => readonly string[]>> = {
  'core.delay': ({ delayMs }) => (typeof delayMs === 'number' ? [duration(delayMs)] : []),
  'vendor.baton.set': ({ assign }) =>
    Object.entries(isJsonObject(assign) ? assign : {}).map(([name, value]) => `${name} = ${text(value)}`),
  'core.approvalGate': (config) => [
    ...(typeof config.title === 'string' ? [`“${config.title}”`] : []),
    approversText(config),
  ],
  'core.clarificationGate': ({ questions }) =>
    (Array.isArray(questions) ? questions : []).flatMap((one) =>
      isJsonObject(one) && typeof one.question === 'string' ? [`“${one.question}”`] : [],
    ),
  'core.subWorkflow': ({ waitForCompletion }) =>
    waitForCompletion === false ? ['does not wait for the child'] : [],
};

function text(value: Json): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('variables.', '');
}

function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, length]) => ms >= length && ms % length === 0) ?? (['ms', 1] as const);
  return `${ms / size} ${unit}`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;
