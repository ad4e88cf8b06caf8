import { expect, it } from 'vitest';
import { safeHref } from './markdown-view.tsx';

it.each(['https://example.com/a?b=1', 'http://example.com/', 'mailto:ada@example.com'])(
  'opens %s',
  (href) => {
    expect(safeHref(href)).toBe(href);
  },
);

it.each([
  'javascript:alert(1)',
  ' JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  '/runs',
  '//example.com',
  'https://',
  '',
])('does not open %j', (href) => {
  expect(safeHref(href)).toBeUndefined();
});
