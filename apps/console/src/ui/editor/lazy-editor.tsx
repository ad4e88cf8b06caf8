import { lazy, Suspense } from 'react';
import { Skeleton } from '../states.tsx';
import type { CodeEditorProps } from './code-editor.tsx';

const Editor = lazy(() => import('./code-editor.tsx').then(({ CodeEditor }) => ({ default: CodeEditor })));

/** The editor, which is a big part of the script and is loaded when it is needed. */
export function LazyEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<Skeleton rows={6} className="border border-line rounded-md" />}>
      <Editor {...props} />
    </Suspense>
  );
}
