import { BatonError } from '@baton/client';
import type { Json } from '@baton/protocol';
import { wrongUsage } from '../output/command-failure.ts';
import type { ExitCode } from '../output/exit-codes.ts';
import { printable } from '../output/printable.ts';
import { jsonIn } from '../runs/inputs.ts';
import type { Session } from '../session.ts';
import { askYesNo, canAsk, confirmed, showFirst } from './confirm.ts';
import { send, showQuestion, unchanged } from './decide.ts';
import { editorDraft } from './editor.ts';
import type { OpenQuestion } from './find-question.ts';
import { diffText } from './line-diff.ts';

/** `baton edit`: changes the artifact of an approval and accepts it as changed. */
export async function editArtifact(session: Session, named: string): Promise<ExitCode> {
  const question = await showQuestion(session, named);
  const { runId } = question;
  const { artifactData, actions } = question.data;
  if (artifactData === undefined || !(actions as readonly string[]).includes('edit-accept')) {
    throw wrongUsage(
      `The question of run ${runId} has no artifact that can be edited.`,
      `Decide with "baton approve ${runId}" or "baton reject ${runId}".`,
    );
  }
  const { file } = session.flags as { readonly file?: string };
  if (file !== undefined) return confirmAndSend(session, question, jsonIn(file));
  if (!canAsk()) {
    throw wrongUsage(
      'An editor needs a terminal.',
      'Give the edited artifact as JSON with --file <file>, or - for standard input.',
    );
  }
  return editUntilAccepted(session, question);
}

/** A draft that is not JSON, or that the host refuses, is opened again, so that no edit is lost. */
async function editUntilAccepted(session: Session, question: OpenQuestion): Promise<ExitCode> {
  const draft = editorDraft(pretty(question.data.artifactData));
  try {
    for (;;) {
      const text = await draft.edit();
      if (text.trim() === pretty(question.data.artifactData)) return unchanged(session);
      const edited = parsed(text);
      const problem =
        'problem' in edited
          ? edited.problem
          : await attempt(() => confirmAndSend(session, question, edited.value));
      if (typeof problem !== 'string') return problem;
      showFirst(session, `This cannot be used: ${printable(problem)}`);
      if (!(await askYesNo('Edit it again?'))) return unchanged(session);
    }
  } finally {
    draft.remove();
  }
}

/** What the host has against the edited artifact, or the exit code of the command. */
async function attempt(work: () => Promise<ExitCode>): Promise<ExitCode | string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BatonError && error.code === 'validation_error') return error.message;
    throw error;
  }
}

async function confirmAndSend(session: Session, question: OpenQuestion, edited: Json): Promise<ExitCode> {
  const { out } = session;
  const before = printable(pretty(question.data.artifactData));
  showFirst(session, `${diffText(before, printable(pretty(edited)), out.paint)}\n`);
  if (!(await confirmed(session, 'Accept it with these changes?'))) return unchanged(session);
  return send(session, question, { action: 'edit-accept', editedArtifactData: edited });
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function parsed(text: string): { readonly value: Json } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: `It is not JSON (${error instanceof Error ? error.message : error}).` };
  }
}
