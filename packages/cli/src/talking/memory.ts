import type { MemoryContents } from '@baton/client';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { printableBlock, printableLine } from '../output/printable.ts';
import type { Session } from '../session.ts';

/** The memory that runs with the same `scopeId` share: all memory scopes, or the entries of one, newest first. */
export async function showMemory(session: Session, scopeId: string | undefined): Promise<ExitCode> {
  return scopeId === undefined ? await listScopes(session) : await listEntries(session, scopeId);
}

async function listScopes({ baton, out }: Session): Promise<ExitCode> {
  const rows: (readonly string[])[] = [];
  for await (const scope of baton.memory.scopes()) {
    if (out.form === 'json') out.give(scope, '');
    else rows.push([scope.scopeId, String(scope.version)]);
  }
  if (out.form === 'json') return EXIT.done;
  if (rows.length === 0) out.note('No runs share memory yet; runs that are started with a scopeId do.');
  else out.give(rows, columns([['MEMORY SCOPE', 'VERSION'], ...rows]));
  return EXIT.done;
}

async function listEntries({ baton, out, flags }: Session, scopeId: string): Promise<ExitCode> {
  const contents = await baton.memory.read(scopeId, {
    ...(typeof flags.tag === 'string' && { tag: flags.tag }),
    ...(typeof flags.text === 'string' && { text: flags.text }),
    ...(typeof flags.limit === 'string' && { limit: Number(flags.limit) }),
  });
  if (out.form === 'json') {
    for (const entry of contents.entries) out.give(entry, '');
    return EXIT.done;
  }
  if (contents.entries.length === 0) out.note(`The memory scope "${scopeId}" has no such entries now.`);
  else out.give(contents, contents.entries.map((entry) => entryText(entry, out.paint.dim)).join('\n\n'));
  return EXIT.done;
}

function entryText(
  { content, tags, createdAt, by }: MemoryContents['entries'][number],
  dim: (text: string) => string,
): string {
  const writer = by.agentId ?? by.runId;
  const facts = [
    createdAt.slice(0, 19).replace('T', ' '),
    ...tags.map((tag) => `#${tag}`),
    ...(writer === undefined ? [] : [`by ${writer}`]),
  ];
  return `${dim(printableLine(facts.join('  ')))}\n  ${printableBlock(content, 2)}`;
}
