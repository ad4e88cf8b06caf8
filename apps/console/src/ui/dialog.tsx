import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './class-names.ts';

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  /** The buttons, the one that does it last. */
  readonly actions?: ReactNode;
  readonly wide?: boolean;
}

export function Dialog({ open, onClose, title, description, children, actions, wide = false }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 bg-[rgb(10_12_20/0.5)] z-40" />
        <Base.Popup
          className={classes(
            'fixed z-50 inset-x-0 bottom-0 md:inset-auto md:left-1/2 md:top-1/2 md:-translate-x-1/2 md:-translate-y-1/2',
            'bg-raised text-text border border-line shadow-raised rounded-t-xl md:rounded-xl flex flex-col',
            'max-h-[90dvh] w-full',
            wide ? 'md:max-w-4xl' : 'md:max-w-lg',
          )}
        >
          <header className="flex items-start justify-between gap-4 px-5 pt-4 pb-3">
            <div className="min-w-0">
              <Base.Title className="text-base font-semibold break-words">{title}</Base.Title>
              {description !== undefined && (
                <Base.Description className="text-sm text-muted mt-1">{description}</Base.Description>
              )}
            </div>
            <Base.Close
              aria-label="Close"
              className="rounded-md p-1 text-muted hover:bg-sunken hover:text-text"
            >
              <X size={18} aria-hidden />
            </Base.Close>
          </header>
          <div className="px-5 pb-4 overflow-y-auto min-h-0 flex flex-col gap-3">{children}</div>
          {actions !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 px-5 py-3 border-t border-line">
              {actions}
            </footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
