import { Maximize2, ZoomIn, ZoomOut } from 'lucide-react';
import { IconButton } from './button.tsx';

interface ZoomToolsProps {
  readonly labels: readonly [out: string, into: string, whole: string];
  readonly onZoom: (factor: number) => void;
  readonly onWhole: () => void;
}

/** Zooms a drawing with buttons, so that the wheel scrolls the page. */
export function ZoomTools({ labels: [out, into, whole], onZoom, onWhole }: ZoomToolsProps) {
  return (
    <div className="flex">
      <IconButton label={out} className="h-7! w-7!" onClick={() => onZoom(0.5)}>
        <ZoomOut size={17} aria-hidden />
      </IconButton>
      <IconButton label={into} className="h-7! w-7!" onClick={() => onZoom(2)}>
        <ZoomIn size={17} aria-hidden />
      </IconButton>
      <IconButton label={whole} className="h-7! w-7!" onClick={onWhole}>
        <Maximize2 size={16} aria-hidden />
      </IconButton>
    </div>
  );
}
