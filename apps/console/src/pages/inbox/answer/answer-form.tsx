import { BatonError, type InterruptAnswer } from '@baton/client';
import { type FormEvent, useMemo, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { isObject } from '../../../ui/content/value-text.ts';
import { FieldInput } from '../../../ui/form/field-input.tsx';
import { type FieldSpec, fieldOfSchema } from '../../../ui/form/field-spec.ts';
import { readForm, refusedField } from '../../../ui/form/read-form.ts';
import { JsonView } from '../../../ui/json-view.tsx';
import { errorText } from '../../../ui/states.tsx';
import type { QuestionData } from '../question.ts';
import { type AnswerProps, useAnswer } from './use-answer.ts';

const ANSWER = 'answer';

/** The answer to a clarification, question by question, or to another kind of question as a JSON object. */
export function AnswerForm({ place, data, onAnswered }: AnswerProps) {
  const specs = useMemo(() => specsOf(data), [data]);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const send = useAnswer(place, onAnswered);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { values, problems: found } = readForm(specs, texts, true);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    const answer = Array.isArray(data.questions) ? { answers: values } : values[ANSWER];
    send.mutate(
      { answer: answer as InterruptAnswer, done: 'Your answer was sent.' },
      {
        onError: (error) => {
          const field =
            error instanceof BatonError ? refusedField(error.details?.field, 'answers', specs) : undefined;
          if (field !== undefined) setProblems({ [field]: error.message });
        },
      },
    );
  };
  return (
    <form noValidate onSubmit={submit} className="p-5 flex flex-col gap-4 max-w-2xl">
      {'payload' in data && <JsonView value={data.payload} />}
      {specs.map((spec) => (
        <FieldInput
          key={spec.name}
          spec={spec}
          text={texts[spec.name] ?? spec.initial}
          error={problems[spec.name]}
          onChange={(text) => setTexts((before) => ({ ...before, [spec.name]: text }))}
        />
      ))}
      {send.error !== null && Object.keys(problems).length === 0 && (
        <p role="alert" className="text-sm text-danger">
          {errorText(send.error)}
        </p>
      )}
      <Button kind="primary" type="submit" busy={send.isPending} className="self-start">
        Send the answer
      </Button>
    </form>
  );
}

function specsOf({ questions }: QuestionData): readonly FieldSpec[] {
  if (!Array.isArray(questions)) {
    return [fieldOfSchema(ANSWER, 'The answer as a JSON object', { type: 'object' })];
  }
  return questions
    .filter(isObject)
    .map(({ id, question, schema }) => fieldOfSchema(String(id), String(question), schema));
}
