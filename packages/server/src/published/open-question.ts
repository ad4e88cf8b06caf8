import { type InterruptKind, isJsonObject, isTerminal, type Json, type RunSnapshot } from '@baton/protocol';
import type { Identity } from '../auth/identity.ts';
import type { HostContext } from '../http/context.ts';
import { readSnapshot } from '../runs/snapshot.ts';

/** The interrupt that the caller of a root run is asked about. */
export interface OpenQuestion {
  /** The run that asks: the root run or one of its descendants. */
  readonly runId: string;
  readonly interruptId: string;
  readonly nodeId: string;
  readonly kind: InterruptKind;
  readonly data: Json;
}

type QuestionHost = Pick<HostContext, 'reads' | 'tokens' | 'settings' | 'turns'>;

/** The question of the root run itself, or else the question that has waited longest in the runs below it. */
export async function openQuestion(
  host: QuestionHost,
  identity: Identity,
  root: RunSnapshot,
): Promise<OpenQuestion | undefined> {
  if (isTerminal(root.status)) return undefined;
  const own = questionIn(root);
  if (own !== undefined) return own;
  const first = await host.reads.firstInterrupt(identity.tenant, root.runId);
  const asking = first && (await readSnapshot(host, first.runId, identity));
  return asking && questionIn(asking);
}

function questionIn({ runId, status, interrupt }: RunSnapshot): OpenQuestion | undefined {
  const { interruptId, nodeId, kind, data = null } = interrupt ?? {};
  if (isTerminal(status) || typeof interruptId !== 'string') return undefined;
  return { runId, interruptId, nodeId: String(nodeId), kind: kind as InterruptKind, data };
}

/** Two runs may use the same id for an interrupt. */
export function isSameQuestion(
  one: Pick<OpenQuestion, 'runId' | 'interruptId'> | undefined,
  other: Pick<OpenQuestion, 'runId' | 'interruptId'> | undefined,
): boolean {
  return one?.runId === other?.runId && one?.interruptId === other?.interruptId;
}

/** The words of an interrupt: the questions of a clarification, or the title and the description of an approval. */
export function questionText(data: Json): string | undefined {
  if (!isJsonObject(data)) return undefined;
  const { title, description, questions } = data;
  if (Array.isArray(questions)) {
    return questions.map((asked) => (isJsonObject(asked) ? String(asked.question) : '')).join('\n');
  }
  const words = [title, description].filter((word) => typeof word === 'string' && word !== '');
  return words.length === 0 ? undefined : words.join('\n');
}
