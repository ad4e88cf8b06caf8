import { lazy, Suspense } from 'react';
import { Skeleton } from '../states.tsx';
import type { JsonEditorProps } from './json-editor.tsx';

const Loaded = lazy(async () => ({ default: (await import('./json-editor.tsx')).JsonEditor }));

/** The JSON editor, loaded when it is first shown: the library is large. */
export function LazyJsonEditor(props: JsonEditorProps) {
  return (
    <Suspense fallback={<Skeleton rows={8} />}>
      <Loaded {...props} />
    </Suspense>
  );
}
