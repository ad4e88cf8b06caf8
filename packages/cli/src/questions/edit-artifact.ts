import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonError } from '@baton/client';
import type { Json } from '@baton/protocol';
import { CommandFailure, wrongUsage } from '../output/command-failure.ts';
import type { ExitCode } from '../output/exit-codes.ts';
import { printable } from '../output/printable.ts';
import { jsonIn } from '../runs/inputs.ts';
import type { Session } from '../session.ts';
import { environment } from '../settings/given.ts';
import { askYesNo, canAsk, confirmed, showFirst } from './confirm.ts';
import { send, showQuestion, unchanged } from './decide.ts';
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

const HINT = 'Set EDITOR to an editor that waits until the file is closed, or give the artifact with --file.';

/** A text in a file that only this user can read, which an editor changes. */
interface Draft {
  /** Opens the editor, and resolves with the text when the editor has ended. */
  edit(): Promise<string>;
  remove(): void;
}

function editorDraft(text: string): Draft {
  const folder = mkdtempSync(join(tmpdir(), 'baton-edit-'));
  const file = join(folder, 'artifact.json');
  writeFileSync(file, `${text}\n`, { mode: 0o600 });
  return {
    async edit() {
      await openEditor(file);
      if (existsSync(file)) return readFileSync(file, 'utf8');
      throw new CommandFailure('The editor has removed the file, so nothing was sent.', { hint: HINT });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** $VISUAL and $EDITOR may hold options too, such as `code --wait`, so a shell reads them. */
function openEditor(file: string): Promise<void> {
  const { VISUAL, EDITOR } = environment();
  const editor = VISUAL || EDITOR || 'vi';
  return new Promise((done, fail) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'edit', file], { stdio: 'inherit' });
    child.on('error', fail);
    child.on('close', (code) => {
      if (code === 0) return done();
      fail(
        new CommandFailure(`The editor (${editor}) ended with ${code}, so nothing was sent.`, { hint: HINT }),
      );
    });
  });
}
