import { lexer, type Token, type Tokens } from 'marked';
import { Fragment, type ReactNode, useMemo } from 'react';
import { ScrollArea } from '../scroll-area.tsx';
import { TextView } from './text-view.tsx';

/** A longer text is shown as it is: its tokens would be too many elements. */
const LONGEST = 100_000;
/** Deeper lists and quotes are shown as they were written. */
const DEEPEST = 20;

/**
 * Markdown as elements. HTML in it is shown as text, images are not loaded, and links open only web and mail addresses,
 * so that a text of a run can neither run a script nor tell another server that it was read.
 */
export function MarkdownView({ text }: { readonly text: string }) {
  const tokens = useMemo(() => (text.length > LONGEST ? undefined : lexer(text)), [text]);
  if (tokens === undefined) return <TextView text={text} />;
  return (
    <div dir="auto" className="text-sm leading-6 flex flex-col gap-3 min-w-0 break-words">
      {blocks(tokens, 0)}
    </div>
  );
}

function blocks(tokens: readonly Token[], depth: number): ReactNode {
  return tokens.map((token, index) => (
    <Fragment key={index}>{block(token as Tokens.Generic, depth)}</Fragment>
  ));
}

/** The headings of a text stand below those of the page. */
const HEADINGS = [
  ['h3', 'text-lg font-semibold'],
  ['h4', 'text-base font-semibold'],
  ['h5', 'text-sm font-semibold'],
  ['h6', 'text-sm font-medium'],
] as const;

function heading({ depth: level, tokens }: Tokens.Heading, depth: number): ReactNode {
  const [Tag, look] = HEADINGS[Math.min(level, HEADINGS.length) - 1] ?? HEADINGS[0];
  return <Tag className={look}>{inlines(tokens, depth)}</Tag>;
}

function block(token: Tokens.Generic, depth: number): ReactNode {
  if (depth > DEEPEST) return token.raw;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return heading(token as Tokens.Heading, depth);
    case 'paragraph':
      return <p>{inlines(token.tokens, depth)}</p>;
    case 'code':
      return <TextView text={token.text} code />;
    case 'blockquote':
      return (
        <blockquote className="border-l-2 border-line-strong pl-3 text-muted flex flex-col gap-2">
          {blocks(token.tokens ?? [], depth + 1)}
        </blockquote>
      );
    case 'list':
      return list(token as Tokens.List, depth);
    case 'table':
      return table(token as Tokens.Table, depth);
    case 'hr':
      return <hr className="border-line" />;
    case 'text':
      return token.tokens === undefined ? token.text : inlines(token.tokens, depth);
    default:
      return <p className="whitespace-pre-wrap">{token.raw}</p>;
  }
}

function list({ ordered, start, items }: Tokens.List, depth: number): ReactNode {
  const rows = items.map((item, index) => (
    <li key={index}>
      {item.task && (item.checked === true ? '☑ ' : '☐ ')}
      {blocks(item.tokens, depth + 1)}
    </li>
  ));
  return ordered ? (
    <ol start={start === '' ? 1 : start} className="list-decimal pl-6 flex flex-col gap-1">
      {rows}
    </ol>
  ) : (
    <ul className="list-disc pl-6 flex flex-col gap-1">{rows}</ul>
  );
}

const CELL = 'border border-line px-2 py-1 text-left align-top';

function table({ header, rows }: Tokens.Table, depth: number): ReactNode {
  return (
    <ScrollArea label="Table">
      <table className="border-collapse text-sm">
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index} className={CELL}>
                {inlines(cell.tokens, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, number) => (
            <tr key={number}>
              {row.map((cell, index) => (
                <td key={index} className={CELL}>
                  {inlines(cell.tokens, depth)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

function inlines(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  return (tokens ?? []).map((token, index) => (
    <Fragment key={index}>{inline(token as Tokens.Generic, depth)}</Fragment>
  ));
}

function inline(token: Tokens.Generic, depth: number): ReactNode {
  if (depth > DEEPEST) return token.raw;
  switch (token.type) {
    case 'text':
      return token.tokens === undefined ? unescaped(token.text) : inlines(token.tokens, depth + 1);
    case 'escape':
      return unescaped(token.text);
    case 'strong':
      return <strong>{inlines(token.tokens, depth + 1)}</strong>;
    case 'em':
      return <em>{inlines(token.tokens, depth + 1)}</em>;
    case 'del':
      return <del>{inlines(token.tokens, depth + 1)}</del>;
    case 'codespan':
      return <code className="font-mono text-xs bg-sunken rounded px-1">{unescaped(token.text)}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <SafeLink href={token.href}>{inlines(token.tokens, depth + 1)}</SafeLink>;
    case 'image':
      return <span className="text-muted">[image: {token.text || token.href}]</span>;
    default:
      return token.raw;
  }
}

function SafeLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const address = safeHref(href);
  if (address === undefined) return <span title={href}>{children}</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer" className="text-accent underline">
      {children}
    </a>
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** The lexer escapes what HTML would read; React escapes again. */
function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}

const ALLOWED = new Set(['http:', 'https:', 'mailto:']);

/** The address of a link that may be opened, or `undefined`. Texts of runs can hold any address, also `javascript:`. */
export function safeHref(href: string): string | undefined {
  try {
    const url = new URL(href);
    return ALLOWED.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}
