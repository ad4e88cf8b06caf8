import { expect, it } from 'vitest';
import { fitting, moved, rowBox, zoomed } from './geometry.ts';

it('zooms around a point that keeps its place, and stays within the axis', () => {
  const near = zoomed({ from: 0, to: 100 }, 100, 2, 25);
  expect(near).toEqual({ from: 12.5, to: 62.5 });
  expect(zoomed(near, 100, 0.25, 25)).toEqual({ from: 0, to: 100 });
  expect(moved(near, 100, 80)).toEqual({ from: 50, to: 100 });
  expect(moved(near, 100, -80)).toEqual({ from: 0, to: 50 });
});

it('puts rows below each other within a lane', () => {
  expect(rowBox(1, 2).y).toBe(rowBox(0, 2).y + rowBox(0, 1).height / 2);
});

it('cuts a text to its width', () => {
  expect(fitting('think', 100)).toBe('think');
  expect(fitting('a long name of a node', 80)).toBe('a long nam…');
  expect(fitting('think', 20)).toBe('');
});
