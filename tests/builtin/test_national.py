"""National numbers: each by its published example, and by no neighbour of it."""

from __future__ import annotations

import pytest

from memoranda.builtin import screen_rules
from memoranda.builtin.rules.national import KINDS

OWN = screen_rules.make()
#: Published examples of each number's description, with a sentence around them.
EXAMPLES = {
    "de-tax": "Steuer-ID 65929970489",
    "fr-nir": "son NIR est 255081416802538",
    "es-dni": "DNI 12345678Z",
    "es-nie": "her NIE is X1234567L",
    "it-fiscal-code": "codice RSSMRA85T10A562S",
    "nl-bsn": "BSN 111222333",
    "be-register": "number 85.07.30-033.28",
    "pl-pesel": "PESEL 44051401359",
    "se-personal": "personnummer 811218-9876",
    "fi-hetu": "tunnus 131052-308T",
    "no-birth": "fødselsnummer 01010750160",
    "dk-cpr": "CPR 211062-5629",
    "uk-nino": "National Insurance AB 12 34 56 C",
    "uk-nhs": "NHS number 943 476 5919",
    "ca-sin": "SIN 130 692 544",
    "au-tfn": "tax file number 123 456 782",
    "br-cpf": "cliente 529.982.247-25",
    "in-aadhaar": "Aadhaar 2341 2341 2346",
    "cn-identity": "id 11010519491231002X",
    "ch-ahv": "AHV 756.9217.0769.85",
    "tr-identity": "TCKN 10000000146",
    "jp-my-number": "My Number 1234 5678 9018",
    "mx-curp": "CURP HEGG560427MVZRRL04",
}
#: The check digit of these was given up by its issuer, or there is none.
UNCHECKED = {"dk-cpr", "uk-nino"}


def rules(text: str) -> list[str]:
    return [f.rule for f in OWN.look([text])[0] if f.rule.startswith("national-id")]


@pytest.mark.parametrize("name", EXAMPLES)
def test_b24_a_published_example_is_found(name: str) -> None:
    assert rules(f"on file: {EXAMPLES[name]}.") == [f"national-id-{name}"]


@pytest.mark.parametrize("name", sorted(set(EXAMPLES) - UNCHECKED))
def test_b24_a_changed_digit_is_not(name: str) -> None:
    text = EXAMPLES[name]
    at = max(n for n, char in enumerate(text) if char.isdigit() and n < len(text) - 1 and text[n - 1].isdigit())
    wrong = text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :]
    assert f"national-id-{name}" not in rules(f"on file: {wrong}.")


def test_b24_countries_are_more_than_twelve() -> None:
    assert len({kind.name.partition("-")[0] for kind in KINDS}) >= 20


@pytest.mark.parametrize("name", ["de-tax", "pl-pesel", "nl-bsn", "tr-identity", "jp-my-number", "au-tfn"])
def test_a_number_that_anything_may_be_counts_only_beside_its_word(name: str) -> None:
    number = "".join(c for c in EXAMPLES[name] if c.isdigit() or c == " ").strip()
    assert rules(f"run {number} took a while") == []
