import {
  isJsonObject,
  isScope,
  type JsonObject,
  type WorkflowDefinition,
  type WorkflowNode,
} from '@baton/protocol';
import { criticsIn, gateOf } from '../handoff/gate.ts';
import { indirectDispatches } from './loops.ts';

/** Remarks about a valid definition that is perhaps not as its author wanted it. */
export function warningsAbout(definition: WorkflowDefinition): readonly string[] {
  return [undeclaredVariables, openDefaults, indirectDispatches, unknownScopes].flatMap((warn) =>
    warn(definition),
  );
}

/** A definition is stored and shown unchanged, so the default value of a sensitive variable is not hidden. */
function openDefaults({ variables = [] }: WorkflowDefinition): readonly string[] {
  return variables
    .filter(({ sensitive, defaultValue }) => sensitive === true && defaultValue !== undefined)
    .map(({ name }) => `the variable "${name}" is sensitive, but everybody can read its default value here`);
}

/** The scopes of a child may name a scope of another host. It grants nothing here, so this is only a warning. */
function unknownScopes({ nodes }: WorkflowDefinition): readonly string[] {
  return nodes.flatMap((node) => {
    const gate = gateOf({ node, config: (node.config ?? {}) as JsonObject });
    const tools = Object.values(criticsIn(node).toolVerifiers ?? {});
    const named = [gate?.attestation, gate?.verifier, ...tools].flatMap((one) => one?.principalScope ?? []);
    return [...new Set(named)]
      .filter((scope) => !isScope(scope))
      .map((scope) => `node "${node.id}": "${scope}" is not a scope of this host and grants nothing`);
  });
}

/** Only a warning: a variable may come from the inputs of the caller. Often it is a typing mistake. */
function undeclaredVariables(definition: WorkflowDefinition): readonly string[] {
  const declared = new Set(definition.variables?.map((variable) => variable.name));
  const warnings: string[] = [];
  for (const node of definition.nodes) {
    for (const name of parentNames(node)) {
      if (declared.has(name)) continue;
      warnings.push(
        `node "${node.id}": a mapping names the parent variable "${name}", which is not declared`,
      );
    }
  }
  return [...new Set(warnings)];
}

function parentNames(node: WorkflowNode): readonly string[] {
  const config = node.config ?? {};
  const maps = (field: string) => {
    const perWorker = config[`perWorker${field}s`];
    const own = isJsonObject(perWorker) ? Object.values(perWorker) : [];
    return [config[`${field.charAt(0).toLowerCase()}${field.slice(1)}`], ...own].filter(isJsonObject);
  };
  const fromInputs = maps('InputMapping').flatMap((map) => Object.values(map).map(String));
  const fromOutputs = maps('OutputMapping').flatMap((map) => Object.keys(map));
  return [...fromInputs, ...fromOutputs];
}
