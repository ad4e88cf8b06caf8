import { TextAreaField } from '../../../ui/field.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import type { BranchEdits } from './use-branch-edits.ts';
import { VariableFields } from './variable-fields.tsx';

/** The values with which a branch goes on, each as it was at that moment. */
export function BranchFields({ branch }: { readonly branch: BranchEdits }) {
  const { variables, fault, texts, edits, setText } = branch;
  return (
    <>
      <fieldset className="flex flex-col gap-3 min-w-0 border-t border-line pt-3">
        <legend className="contents">
          <span className="text-sm font-semibold">Values at this moment</span>
        </legend>
        {fault !== null && <ErrorState error={fault} />}
        {fault === null && variables === undefined && <Skeleton rows={3} className="p-0" />}
        {variables !== undefined && (
          <VariableFields variables={variables} texts={texts} edits={edits} onChange={setText} />
        )}
      </fieldset>
      <details className="border-t border-line pt-3">
        <summary className="text-sm font-semibold cursor-pointer min-h-6">Configuration</summary>
        <div className="pt-2">
          <TextAreaField
            label="Configuration as a JSON object"
            rows={6}
            spellCheck={false}
            className="font-mono text-xs"
            hint="Such as limits, budgets or the model of the run. Names that are not here stay as they are."
            error={branch.configurationProblem}
            value={branch.configuration}
            onChange={(event) => branch.setConfiguration(event.target.value)}
          />
        </div>
      </details>
    </>
  );
}
