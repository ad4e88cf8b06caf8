import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: ReactNode;
  readonly content: () => ReactNode;
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly selected: Name;
  readonly onSelect: (name: Name) => void;
  readonly actions?: ReactNode;
}

/** Several views of the same thing, one at a time. Only the selected one is made. */
export function Tabs<Name extends string>({ label, tabs, selected, onSelect, actions }: TabsProps<Name>) {
  return (
    <Base.Root
      value={selected}
      onValueChange={(value) => onSelect(value as Name)}
      className="flex flex-col min-w-0"
    >
      <div className="flex items-end justify-between gap-2 border-b border-line">
        <Base.List aria-label={label} className="flex gap-1 overflow-x-auto">
          {tabs.map((tab) => (
            <Base.Tab
              key={tab.name}
              value={tab.name}
              className="px-3 h-9 text-sm text-muted border-b-2 border-transparent -mb-px whitespace-nowrap hover:text-text data-[active]:text-text data-[active]:border-accent data-[active]:font-medium"
            >
              {tab.label}
            </Base.Tab>
          ))}
        </Base.List>
        {actions}
      </div>
      {tabs.map((tab) => (
        <Base.Panel key={tab.name} value={tab.name} className="pt-4 min-w-0">
          {tab.name === selected ? tab.content() : null}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
