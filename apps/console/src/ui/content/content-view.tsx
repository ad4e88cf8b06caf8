import { lazy, Suspense } from 'react';
import { classes } from '../class-names.ts';
import { JsonView } from '../json-view.tsx';
import { ScrollArea } from '../scroll-area.tsx';
import { Skeleton } from '../states.tsx';
import { contentKind } from './content-kind.ts';
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

const MOST_LINES = 5_000;

/** A change that a run has written as a patch (`--- a`, `+++ b`, `@@`): added and removed lines have their colours. */
function PatchView({ text }: { readonly text: string }) {
  const lines = text.split('\n');
  if (lines.length > MOST_LINES) return <TextView text={text} code />;
  return (
    <ScrollArea label="Change" className="rounded-md border border-line font-mono text-xs leading-5 py-1">
      <div className="w-max min-w-full">
        {lines.map((line, index) => (
          <div key={index} dir="auto" className={classes('px-3 whitespace-pre min-h-5', lookOf(line))}>
            {line}
          </div>
        ))}
      </div>
    </ScrollArea>
  );
}

function lookOf(line: string): string {
  if (/^(---|\+\+\+|diff |index )/.test(line)) return 'text-muted font-medium';
  if (line.startsWith('@@')) return 'text-accent bg-accent-ground';
  if (line.startsWith('+')) return 'bg-added-ground text-added';
  return line.startsWith('-') ? 'bg-removed-ground text-removed' : '';
}
