import { BatonError } from '@baton/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { type FormEvent, useId, useMemo, useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { workflowQuery, workflowsQuery } from '../../../api/workflows.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { FieldInput } from '../../../ui/form/field-input.tsx';
import { type FieldSpec, fieldOfVariable } from '../../../ui/form/field-spec.ts';
import { readForm, refusedField } from '../../../ui/form/read-form.ts';
import { ErrorState, errorText, Skeleton } from '../../../ui/states.tsx';

interface StartDialogProps {
  readonly workflowId?: string;
  readonly onClose: () => void;
}

/** Starts a run: which workflow, and the values of its variables. */
export function StartDialog({ workflowId = '', onClose }: StartDialogProps) {
  const [chosen, setChosen] = useState(workflowId);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const form = useId();
  const navigate = useNavigate();
  const workflows = useQuery(workflowsQuery);
  const definition = useQuery({ ...workflowQuery(chosen), enabled: chosen !== '' });
  const specs = useMemo(() => (definition.data?.variables ?? []).map(fieldOfVariable), [definition.data]);
  const start = useMutation({
    mutationFn: (inputs: Readonly<Record<string, unknown>>) => baton.runs.start(chosen, inputs),
    onSuccess: ({ id }) => navigate({ to: '/runs/$runId', params: { runId: id } }),
    onError: (error) => {
      const name =
        error instanceof BatonError ? refusedField(error.details?.field, 'inputs', specs) : undefined;
      if (name !== undefined) setProblems({ [name]: error.message });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { values, problems: found } = readForm(specs, texts);
    setProblems(found);
    if (Object.keys(found).length === 0) start.mutate(values);
  };
  const choose = (next: string) => {
    setChosen(next);
    setTexts({});
    setProblems({});
    start.reset();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Start a run"
      {...(definition.data?.description !== undefined && { description: definition.data.description })}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            form={form}
            busy={start.isPending}
            disabled={definition.data === undefined}
          >
            Start
          </Button>
        </>
      }
    >
      <form id={form} noValidate onSubmit={submit} className="flex flex-col gap-4">
        <SelectField label="Workflow" value={chosen} onChange={(event) => choose(event.target.value)}>
          <option value="" disabled>
            Choose a workflow…
          </option>
          {(workflows.data ?? []).map((workflow) => (
            <option key={workflow.workflowId} value={workflow.workflowId}>
              {workflow.workflowId}
            </option>
          ))}
        </SelectField>
        {definition.isLoading && <Skeleton rows={3} className="p-0" />}
        {definition.error !== null && <ErrorState error={definition.error} />}
        {definition.data !== undefined && (
          <VariableFields
            key={chosen}
            specs={specs}
            texts={texts}
            problems={problems}
            onChange={(name, text) => setTexts((before) => ({ ...before, [name]: text }))}
          />
        )}
        {start.error !== null && Object.keys(problems).length === 0 && (
          <p role="alert" className="text-sm text-danger">
            {errorText(start.error)}
          </p>
        )}
      </form>
    </Dialog>
  );
}

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
function VariableFields({ specs, texts, problems, onChange }: VariableFieldsProps) {
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
