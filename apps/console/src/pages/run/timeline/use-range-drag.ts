import { type PointerEvent, useRef, useState } from 'react';

/** A shorter drag is a click. */
const LEAST_DRAG = 5;

interface Drag {
  readonly from: number;
  readonly to: number;
}

interface RangeDrag {
  /** The part that is being dragged over, in pixels of the element. */
  readonly drag: Drag | undefined;
  readonly handlers: {
    onPointerDown(event: PointerEvent<SVGSVGElement>): void;
    onPointerMove(event: PointerEvent<SVGSVGElement>): void;
    onPointerUp(event: PointerEvent<SVGSVGElement>): void;
    onPointerCancel(): void;
  };
}

interface Wanted {
  readonly onSelect: (drag: Drag) => void;
  readonly onClick: (x: number, y: number) => void;
  readonly onHover: (x: number, y: number) => void;
}

/** Tells clicks, hovering and dragging over a range of a drawing apart. */
export function useRangeDrag({ onSelect, onClick, onHover }: Wanted): RangeDrag {
  const began = useRef<number>(undefined);
  const [drag, setDrag] = useState<Drag>();
  const place = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const stop = (): void => {
    began.current = undefined;
    setDrag(undefined);
  };
  return {
    drag,
    handlers: {
      onPointerDown(event) {
        if (event.button !== 0) return;
        began.current = place(event).x;
        event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove(event) {
        const { x, y } = place(event);
        const from = began.current;
        if (from === undefined) onHover(x, y);
        else if (drag !== undefined || Math.abs(x - from) >= LEAST_DRAG) {
          setDrag({ from: Math.min(from, x), to: Math.max(from, x) });
        }
      },
      onPointerUp(event) {
        const { x, y } = place(event);
        const isClick = drag === undefined && began.current !== undefined;
        if (drag !== undefined) onSelect(drag);
        stop();
        if (isClick) onClick(x, y);
      },
      onPointerCancel: stop,
    },
  };
}
