"""`memoranda ask`: one answer from an installed agent, grounded in what is recalled.

The only command that hands passages to somebody else. It says what it hands over before it does, and to whom; it falls
back to no other memory than the one that was named, and starts no program before there is something to put to it.
"""

from __future__ import annotations

import os

from memoranda.memory.asking import answerer, prompt, put
from memoranda.model.errors import NotFound
from memoranda.views.commands.call import Call
from memoranda.views.commands.reply import Reply
from memoranda.views.render.answer import answer as draw_answer
from memoranda.views.render.words import count
from memoranda.views.terminal import Page


def ask(call: Call) -> Reply:
    args, question = call.args, " ".join(call.args.question)
    with call.open() as memory:
        agent, program = answerer(args.agent, os.environ)
        found = memory.recall(question, limit=args.limit, budget_tokens=args.budget_tokens)
        name = memory.name
    if found.empty:
        raise NotFound("nothing was recalled, so there is nothing to ask about", "try other words, or memoranda recall")
    passages = Page()
    draw_answer(passages, found, call.now, call.me)
    text = prompt(question, passages.text())
    told = (
        f"handed to {args.agent}: the question, {count(len(found.concluded), 'record')} and "
        f"{count(len(found.said), 'passage')} of {name} memory, {len(text):,} characters; its provider receives them"
    )
    if not (args.quiet or args.json):
        from sys import stderr

        from memoranda.views.terminal import tell

        tell(told, stderr)
    said = put(agent, program, text, args.seconds, os.environ)
    sessions = sorted({f"{hit.harness}/{hit.session}" for hit in found.said})
    records = sorted(hit.record.id for hit in found.concluded)

    def draw(page: Page) -> None:
        inner = page.inner()
        inner.quote(said)
        page.fenced(inner)
        page.gap()
        page.line((f"by {args.agent}, from " + ", ".join([*sessions, *records]), "dim"))
        page.line(("check it: memoranda recall shows the passages themselves", "dim"))

    data = {"answer": said, "agent": args.agent, "sessions": sessions, "records": records, "characters": len(text)}
    return Reply("answered", data, draw, notices=(told,) if args.json else (), state=found.index)
