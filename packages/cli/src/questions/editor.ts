import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandFailure } from '../output/command-failure.ts';
import { environment } from '../settings/given.ts';

const HINT = 'Set EDITOR to an editor that waits until the file is closed, or give the artifact with --file.';

/** A text in a file that only this user can read, which an editor changes. */
interface Draft {
  /** Opens the editor, and resolves with the text when the editor has ended. */
  edit(): Promise<string>;
  remove(): void;
}

export function editorDraft(text: string): Draft {
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
