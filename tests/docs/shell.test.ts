import { expect, it } from 'vitest';
import { openShell } from './shell.ts';

it('keeps what a snippet has set, and notes the commands that fail', async () => {
  const { enter, close } = openShell({
    folder: '/',
    standIns: { 'https://host.example': 'http://127.0.0.1:1' },
    commands: { greet: 'echo "Hello, $1 from $PWD"; exit $2' },
  });
  expect(await enter('NAME=Ada\nfalse\nwho() { echo "I am $NAME"; }\n')).toEqual({
    out: '',
    failed: ['1: false'],
  });
  expect(await enter('greet $NAME 4; who >&2; cat; echo https://host.example')).toEqual({
    out: 'Hello, Ada from /\nI am Ada\nhttp://127.0.0.1:1\n',
    failed: ['4: greet $NAME 4'],
  });
  expect(await enter('RUN=$(greet $NAME 3)')).toEqual({ out: '', failed: ['3: RUN=$(greet $NAME 3)'] });
  await close();
});

it('tells that the shell has ended', async () => {
  const { enter } = openShell({ folder: '/' });
  await expect(enter('echo last; exit 0')).rejects.toThrow('The shell ended:\nlast');
});
