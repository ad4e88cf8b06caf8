import { isJsonObject, type Json } from '@baton/protocol';

/** The words of an interrupt: the questions of a clarification, or the title and the description of an approval. */
export function questionText(data: Json): string | undefined {
  if (!isJsonObject(data)) return undefined;
  const { title, description, questions } = data;
  if (Array.isArray(questions)) {
    return questions.map((asked) => (isJsonObject(asked) ? String(asked.question) : '')).join('\n');
  }
  const words = [title, description].filter((word) => typeof word === 'string' && word !== '');
  return words.length === 0 ? undefined : words.join('\n');
}
