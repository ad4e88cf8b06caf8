import { lazy, Suspense } from 'react';
import { JsonView } from '../json-view.tsx';
import { Skeleton } from '../states.tsx';
import { contentKind } from './content-kind.ts';
import { PatchView } from './patch-view.tsx';
import { TextView } from './text-view.tsx';
import { isObject } from './value-text.ts';

const MarkdownView = lazy(() =>
  import('./markdown-view.tsx').then((module) => ({ default: module.MarkdownView })),
);

interface ContentViewProps {
  readonly value: unknown;
  /** What the value is called, or its type: `patch` and `text/markdown` say how a text is shown. */
  readonly name?: string;
}

/**
 * A value that a run has made, shown as a person reads it: text, Markdown, code, a patch, or a tree of JSON. The members
 * of an object that hold texts are shown below each other.
 */
export function ContentView({ value, name }: ContentViewProps) {
  if (isObject(value) && hasTexts(value)) return <Members value={value} />;
  switch (contentKind(value, name)) {
    case 'json':
      return <JsonView value={value} />;
    case 'patch':
      return <PatchView text={String(value)} />;
    case 'code':
      return <TextView text={String(value)} code />;
    case 'markdown':
      return (
        <Suspense fallback={<Skeleton rows={3} className="p-0" />}>
          <MarkdownView text={String(value)} />
        </Suspense>
      );
    case 'text':
      return <TextView text={String(value)} />;
  }
}

/** More members are better read as a tree. */
const MOST_MEMBERS = 12;

function hasTexts(value: Readonly<Record<string, unknown>>): boolean {
  const members = Object.values(value);
  return (
    members.length > 0 &&
    members.length <= MOST_MEMBERS &&
    members.some((member) => typeof member === 'string')
  );
}

function Members({ value }: { readonly value: Readonly<Record<string, unknown>> }) {
  return (
    <dl className="flex flex-col gap-3 min-w-0">
      {Object.entries(value).map(([name, member]) => (
        <div key={name} className="min-w-0">
          <dt className="text-xs font-medium text-muted mb-0.5 break-words">
            <bdi>{name}</bdi>
          </dt>
          <dd className="min-w-0">
            {isObject(member) || typeof member !== 'string' ? (
              <JsonView value={member} />
            ) : (
              <ContentView value={member} name={name} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
