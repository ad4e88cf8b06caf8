/** Markdown of the generated pages. */

export function page(title, intro, ...parts) {
  const note = '<!-- Written by `npm run docs` from the schemas and the command. Do not edit. -->';
  return `${[`# ${title}`, note, intro, ...parts].join('\n\n')}\n`;
}

export function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

export const code = (text) => `\`${text}\``;

/** The fields of an object schema: name, type, whether the field is required. */
function fields(schema) {
  const { properties = {}, required = [] } = schema ?? {};
  return Object.entries(properties).map(([name, field]) => [
    code(name),
    typeOf(field),
    required.includes(name) ? 'yes' : '',
    field.description ?? '',
  ]);
}

export function fieldTable(schema) {
  const rows = fields(schema);
  if (rows.length === 0) return undefined;
  const isDescribed = rows.some(([, , , description]) => description !== '');
  return isDescribed
    ? table(['field', 'type', 'required', 'meaning'], rows)
    : table(
        ['field', 'type', 'required'],
        rows.map((row) => row.slice(0, 3)),
      );
}

const MOST_CHOICES = 12;

function typeOf(schema) {
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (Array.isArray(schema.enum)) {
    const shown = schema.enum.slice(0, MOST_CHOICES).map((one) => code(JSON.stringify(one)));
    return schema.enum.length > MOST_CHOICES ? `${shown.join(', ')} …` : shown.join(', ');
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  return Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any value');
}
