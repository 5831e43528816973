/** Rules that neither the compiler nor the linter knows: by file, a pattern that must not stand there, and what to do instead. */
export type SourceRule = {
  readonly name: string;
  readonly files: RegExp;
  readonly except?: RegExp;
  readonly forbidden: RegExp;
  readonly instead: string;
};

/** They hold the text of programs that run elsewhere, by the clock and the environment that they find there. */
const SCRIPTS = /^src\/domain\/formats\/typescript\/[a-z]+\.ts$/;

export const sourceRules: readonly SourceRule[] = [
  {
    name: "domain-has-no-clock",
    files: /^src\/domain\//,
    except: SCRIPTS,
    forbidden: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.|\bsetTimeout\(|\bsetInterval\(/,
    instead: "let the command bring the time",
  },
  {
    name: "domain-has-no-random",
    files: /^src\/domain\//,
    forbidden: /\bMath\.random\(|\bcrypto\.|\brandomUUID\(/,
    instead: "let the command bring the id",
  },
  {
    name: "domain-touches-nothing",
    files: /^src\/domain\//,
    except: SCRIPTS,
    forbidden: /\bprocess\.|\bconsole\.(?!json\b)|\bfetch\(|\bglobalThis\b/,
    instead: "return what should happen, and do it in src/commands or src/workers",
  },
  {
    name: "one-reader-of-the-environment",
    files: /^src\//,
    // The probe looks for a browser along PATH and starts one: not a setting of ours.
    // What is exported as a script reads its own environment, where it runs.
    except:
      /^src\/(main\.ts|cli\/|workers\/executor\/browserProbe\.ts|domain\/formats\/typescript\/[a-z]+\.ts)/,
    forbidden: /\bprocess\.env\b/,
    instead: "take the setting from the Config that src/main.ts hands down",
  },
  {
    name: "cli-asks-through-the-client",
    files: /^src\/cli\//,
    // Keys that an auditor trusts, from wherever that person says.
    except: /^src\/cli\/audit\/verify\.ts$/,
    forbidden: /\bfetch\(/,
    instead: "call the API through src/client, whose types are the service's own",
  },
  {
    name: "nothing-left-open",
    files: /^(src|scripts|bench)\//,
    except: /^scripts\/sourceRules\.ts$/,
    forbidden: /\b(TODO|FIXME|XXX)\b|[Nn]ot implemented/,
    instead: "finish it, or leave it out",
  },
  {
    name: "every-test-runs",
    files: /^test\/.*\.ts$/,
    except: /^test\/unit\/scripts\//,
    forbidden: /\b(it|test|describe)\.(skip|only|todo|skipIf|runIf)\b/,
    instead: "make it pass or take it out",
  },
];

export type SourceProblem = {
  readonly line: number;
  readonly rule: string;
  readonly instead: string;
};

/** What a file breaks. Comment lines count only for rules about what is left open. */
export const problemsIn = (file: string, text: string): SourceProblem[] =>
  sourceRules
    .filter(({ files, except }) => files.test(file) && !except?.test(file))
    .flatMap(({ name, forbidden, instead }) =>
      text.split("\n").flatMap((content, index) => {
        const isComment = /^\s*(\/\/|\/?\*)/.test(content);
        if (isComment && name !== "nothing-left-open") return [];
        return forbidden.test(content) ? [{ line: index + 1, rule: name, instead }] : [];
      }),
    );
