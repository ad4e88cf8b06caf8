import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { errorText } from './states.tsx';

const manager = Toast.createToastManager();

interface TellAction {
  readonly label: string;
  readonly onClick: () => void;
}

/** Says in the corner of the page that something was done, and offers what may be wanted next. */
export function tell(message: string, action?: TellAction): void {
  manager.add({
    title: message,
    timeout: action === undefined ? 5_000 : 20_000,
    ...(action && { actionProps: { children: action.label, onClick: action.onClick } }),
  });
}

/** Says in the corner of the page why something was not done. */
export function tellError(error: unknown): void {
  manager.add({ title: 'This was not done', description: errorText(error), type: 'error', timeout: 12_000 });
}

export function Toasts({ children }: { readonly children: ReactNode }) {
  return (
    <Toast.Provider toastManager={manager}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed z-50 bottom-20 md:bottom-4 right-4 left-4 md:left-auto md:w-96 flex flex-col gap-2">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={`bg-raised border shadow-raised rounded-lg p-3 flex items-start gap-3 ${toast.type === 'error' ? 'border-danger' : 'border-line-strong'}`}
    >
      <div className="min-w-0 flex-1">
        <Toast.Title className="text-sm font-medium" />
        <Toast.Description className="text-sm text-muted break-words" />
        <Toast.Action className="text-sm underline text-accent min-h-6" />
      </div>
      <Toast.Close aria-label="Dismiss" className="p-0.5 text-muted hover:text-text">
        <X size={16} aria-hidden />
      </Toast.Close>
    </Toast.Root>
  ));
}
