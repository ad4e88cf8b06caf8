import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { FieldInput } from '../../../ui/form/field-input.tsx';
import type { FieldSpec } from '../../../ui/form/field-spec.ts';

interface VariableFieldsProps {
  readonly specs: readonly FieldSpec[];
  readonly texts: Readonly<Record<string, string>>;
  readonly problems: Readonly<Record<string, string>>;
  readonly onChange: (name: string, text: string) => void;
}

/**
 * The variables of a workflow. Definitions do not say which of them are meant as inputs: those that are needed or have a
 * default value come first, and the others, which are mostly results, on demand.
 */
export function VariableFields({ specs, texts, problems, onChange }: VariableFieldsProps) {
  const [open, setOpen] = useState(false);
  const inputs = specs.filter(({ required, initial }) => required || initial !== '');
  const first = inputs.length > 0 ? inputs : specs;
  const others = inputs.length > 0 ? specs.filter((spec) => !inputs.includes(spec)) : [];
  const isOpen = open || others.some(({ name }) => name in problems);
  const field = (spec: FieldSpec) => (
    <FieldInput
      key={spec.name}
      spec={spec}
      text={texts[spec.name] ?? spec.initial}
      error={problems[spec.name]}
      onChange={(text) => onChange(spec.name, text)}
    />
  );
  if (specs.length === 0) return <p className="text-sm text-muted">This workflow has no variables.</p>;
  return (
    <>
      {first.map(field)}
      {others.length > 0 && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex items-center gap-1.5 text-sm text-muted hover:text-text self-start min-h-6"
        >
          <ChevronRight size={15} aria-hidden className={isOpen ? 'rotate-90' : ''} />
          {others.length === 1 ? 'One more variable' : `${others.length} more variables`}, which the run sets
          itself
        </button>
      )}
      {isOpen && others.map(field)}
    </>
  );
}
