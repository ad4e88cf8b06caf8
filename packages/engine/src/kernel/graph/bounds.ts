import {
  type FieldProblem,
  isJsonObject,
  type Json,
  type JsonObject,
  patternSize,
  sizeOfJson,
  type WorkflowDefinition,
  type WorkflowNode,
} from '@baton/protocol';
import { expressionOf } from './condition.ts';

/**
 * How large a definition may be. Checking a definition, and every step of its runs, must be short. So there
 * are bounds for the whole definition, and for the lists that one step goes through (assignments, mappings).
 */
export const DEFINITION_BOUNDS = {
  characters: 1024 * 1024,
  channels: 1000,
  edges: 4000,
  /** For one node: assignments, ports, or variables in one mapping. */
  namesOfNode: 500,
  /** The total over all nodes and edges. */
  expressions: 3000,
  expressionCharacters: 256 * 1024,
  patternParts: 10_000,
  schemaParts: 10_000,
} as const;

/** The first bound that the definition exceeds. */
export function tooLargeDefinition(definition: WorkflowDefinition): FieldProblem | undefined {
  const { characters, channels, edges } = DEFINITION_BOUNDS;
  const size = sizeOfJson(definition as unknown as Json);
  if (size > characters) return { field: '', problem: `has ${size} characters; ${characters} are allowed` };
  const declared = Object.keys(definition.channels ?? {}).length;
  if (declared > channels) return tooMany('channels', declared, channels);
  const drawn = definition.edges?.length ?? 0;
  if (drawn > edges) return tooMany('edges', drawn, edges);
  for (const [index, node] of definition.nodes.entries()) {
    const problem = tooManyNames(node, `nodes.${index}`);
    if (problem) return problem;
  }
  return tooMuchTogether(definition);
}

function tooMany(field: string, found: number, allowed: number): FieldProblem {
  return { field, problem: `has ${found} entries; ${allowed} are allowed` };
}

const MAPPINGS = ['assign', 'inputMapping', 'outputMapping'];
const MAPPINGS_BY_WORKER = ['perWorkerInputMappings', 'perWorkerOutputMappings'];

function tooManyNames(node: WorkflowNode, at: string): FieldProblem | undefined {
  const config = (node.config ?? {}) as JsonObject;
  const { namesOfNode } = DEFINITION_BOUNDS;
  const counted: [field: string, found: number, allowed: number][] = [
    [`${at}.inputs`, Object.keys(node.inputs ?? {}).length, namesOfNode],
    ...MAPPINGS.map((name): [string, number, number] => [
      `${at}.config.${name}`,
      entriesOf(config[name]),
      namesOfNode,
    ]),
  ];
  for (const name of MAPPINGS_BY_WORKER) {
    for (const [worker, mapping] of Object.entries(isJsonObject(config[name]) ? config[name] : {})) {
      counted.push([`${at}.config.${name}.${worker}`, entriesOf(mapping), namesOfNode]);
    }
  }
  const over = counted.find(([, found, allowed]) => found > allowed);
  return over && tooMany(...over);
}

function entriesOf(value: Json | undefined): number {
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

function tooMuchTogether(definition: WorkflowDefinition): FieldProblem | undefined {
  const { expressions, expressionCharacters, patternParts, schemaParts } = DEFINITION_BOUNDS;
  const texts = expressionsOf(definition);
  if (texts.length > expressions) {
    return { field: '', problem: `has ${texts.length} expressions; ${expressions} are allowed` };
  }
  const schemas = schemasOf(definition).map(([, schema]) => schema);
  const length = sum(texts.map(([, text]) => text.length));
  if (length > expressionCharacters)
    return together('expressions with a length', length, expressionCharacters);
  const parts = sum(schemas.map(partsOf));
  if (parts > schemaParts) return together('schemas with a size', parts, schemaParts);
  const patterns = sum([...edgePatterns(definition), ...schemas.flatMap(patternsIn)].map(patternSize));
  return patterns > patternParts ? together('patterns with a size', patterns, patternParts) : undefined;
}

function together(what: string, size: number, allowed: number): FieldProblem {
  return { field: '', problem: `has ${what} of ${size} together; ${allowed} are allowed` };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Every expression, with the field that holds it. */
function expressionsOf({ nodes, edges = [] }: WorkflowDefinition): readonly [field: string, text: string][] {
  const found: [string, string][] = [];
  nodes.forEach((node, index) => {
    for (const [name, port] of Object.entries(node.inputs ?? {})) {
      if (port.type === 'expression') found.push([`nodes.${index}.inputs.${name}`, port.expression]);
    }
    const assign = isJsonObject(node.config?.assign) ? node.config.assign : {};
    for (const [name, text] of Object.entries(assign))
      found.push([`nodes.${index}.config.assign.${name}`, String(text)]);
    if (node.settings?.decide !== undefined)
      found.push([`nodes.${index}.settings.decide`, node.settings.decide]);
  });
  edges.forEach(({ condition }, index) => {
    if (condition) found.push([`edges.${index}.condition`, expressionOf(condition)]);
  });
  return found;
}

function edgePatterns({ edges = [] }: WorkflowDefinition): readonly string[] {
  return edges.flatMap(({ condition }) =>
    condition?.type === 'regex' ? [String(condition.right ?? null)] : [],
  );
}

/** Every schema of the author that values will be checked against, with the field that holds it. */
export function schemasOf(definition: WorkflowDefinition): readonly [field: string, schema: JsonObject][] {
  const found: [string, unknown][] = [['configurableSchema', definition.configurableSchema]];
  definition.nodes.forEach(({ config = {} }, index) => {
    found.push([`nodes.${index}.config.resumeSchema`, config.resumeSchema]);
    found.push([`nodes.${index}.config.outputSchema`, config.outputSchema]);
    const questions = Array.isArray(config.questions) ? config.questions : [];
    questions.forEach((question, at) => {
      found.push([
        `nodes.${index}.config.questions.${at}.schema`,
        isJsonObject(question) ? question.schema : undefined,
      ]);
    });
  });
  return found.filter((one): one is [string, JsonObject] => isJsonObject(one[1]));
}

function partsOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  let parts = 1;
  if (Array.isArray(value)) for (const part of value) parts += partsOf(part as Json);
  else for (const name in value) parts += partsOf((value as JsonObject)[name] as Json);
  return parts;
}

function patternsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((part) => patternsIn(part as Json));
  if (!isJsonObject(value)) return [];
  const { pattern, patternProperties } = value;
  const own = typeof pattern === 'string' ? [pattern] : [];
  const names = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  return [...own, ...names, ...Object.values(value).flatMap(patternsIn)];
}
