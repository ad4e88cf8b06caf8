interface Question<Asked, Answer> {
  readonly asked: Asked;
  resolve(answer: Answer): void;
  reject(problem: unknown): void;
}

/** So many statements are under way at the same time. A slow one does not delay those of the others. */
const AT_ONCE = 4;
/** So many questions are asked by one statement. */
const TOGETHER = 64;

/**
 * Asks the database one question at a time or several together, by one statement. A question is asked at once, unless
 * several statements are under way: then it waits for the end of one, and is asked together with the others that wait.
 * `ask` answers the questions in their order.
 */
export function gathering<Asked, Answer>(
  ask: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
): (asked: Asked) => Promise<Answer> {
  const waiting: Question<Asked, Answer>[] = [];
  let underWay = 0;

  async function answer(questions: readonly Question<Asked, Answer>[]): Promise<void> {
    try {
      const answers = await ask(questions.map(({ asked }) => asked));
      for (const [at, { resolve }] of questions.entries()) resolve(answers[at] as Answer);
    } catch (problem) {
      for (const { reject } of questions) reject(problem);
    }
  }

  function next(): void {
    while (waiting.length > 0 && underWay < AT_ONCE) {
      underWay += 1;
      void answer(waiting.splice(0, TOGETHER)).finally(() => {
        underWay -= 1;
        next();
      });
    }
  }

  return (asked) =>
    new Promise((resolve, reject) => {
      waiting.push({ asked, resolve, reject });
      next();
    });
}
