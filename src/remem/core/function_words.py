"""Which words hold the sentences of a language together? They tell which language it is, and
nothing about what is said."""

from __future__ import annotations

from typing import Final

FUNCTION_WORDS: Final[dict[str, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": """a about after all an and any are as at be because been before but by can
            could did do does for from had has have he her him his how i if in into is it
            its me my no not of on or our she should so than that the their them then there
            these they this those to was we were what when where which who why will with
            would you your""",
        "de": """aber alle als am an auch auf aus bei beim bin bis da damit das dass dem den
            der des die dies diese diesem diesen dieser dieses doch du durch ein eine einem
            einen einer eines er es für gegen habe haben hat hatte hatten ich ihm ihn ihr
            ihre ihrem ihren im in ins ist ja kann kein keine können man mehr mein meine
            meinem meinen meiner mich mir mit muss nach nicht noch nur ob oder ohne schon
            sehr sein seine seinem seinen seiner seit sich sie sind soll sollen sollte über
            um und uns unser unsere unserem unseren unter vom von vor wann war waren warum
            was weil welche welchem welchen welcher welches wenn wer werden wie wir wird wo
            wohin wurde wurden zu zum zur zwischen""",
        "fr": """ai alors au aussi aux avait avant avec avez avons c ce cela ces cet cette
            chez comme comment d dans de des depuis dont du elle elles en est et était été
            être eu il ils j je jusqu l la le les leur leurs lui m ma mais me mes moi mon n
            ne nos notre nous on ont ou où par pas pendant plus pour pourquoi qu quand que
            quel quelle quelles quels qui quoi s sa sans se ses si son sont sous sur t ta te
            tes ton tous tout toute très tu un une vers vos votre vous y""",
        "es": """a al algo antes aunque cada como cómo con contra cual cuál cuando cuándo de
            del desde donde dónde durante e el él ella ellas ellos en entre era es esa ese
            eso esta está estaba están este esto fue ha hace han hasta hay la las le les lo
            los más me mi mis mucho muy nada ni no nos nosotros o para pero por porque qué
            que quien quién se sea según ser si sí sin sobre son su sus también te tiene
            todo todos tu tus un una uno unos y ya yo""",
        "it": """a ad ai al alla alle anche che chi ci come con cosa cui da dai dal dalla
            degli dei del della delle di dopo dove e è era gli ha hai hanno ho i il in io la
            le lei li lo loro lui ma mi mia mio nei nel nella no noi non o ogni per perché
            più prima qual quale quali quando quanto quello questa questo qui sei senza si
            sia sono su sua sul sulla suo tra tutti tutto un una uno vi voi""",
        "pt": """à ao aos as às até com como da das de dela dele depois do dos e é ela ele
            eles em entre era essa esse esta está este eu foi há isso já lhe mais mas me meu
            minha muito na não nas nem no nos nós o onde os ou para pela pelas pelo pelos
            por porque quais qual quando que quem são se sem ser seu seus só sobre sua suas
            também te tem ter um uma você""",
        "nl": """aan al als bij dan dat de deze die dit door een en er geen haar had hebben
            heb heeft het hij hoe hun ik in is je kan maar me meer met mijn moet na naar
            niet nog nu of om onze ook op over te tegen toen tot uit van veel voor waar
            waarom wanneer want waren was wat we wel welke werd wie wij worden zal ze zich
            zij zijn zo""",
        "sv": """alla att av blev bli de dem den denna det detta din du efter eller en ett
            från för ha hade han har hon honom hur i in inte jag kan man med men mig min
            mitt mot när någon något nu och om oss på sig sin sitt ska skulle som till under
            upp ut vad var vara varför vem vi vid vilken är över""",
        "da": """af alle at blev da de dem den denne der det dig din du efter eller en er et
            for fra ham han har havde hun hvad hvem hver hvis hvor hvorfor hvornår i ikke
            jeg kan man med men mig min mit mod må nu når og også om op os over på sig sin
            skal som til ud var ved vi vil være""",
        "pl": """ale bez bo być był była było były by co czy dla do gdy gdzie go i ich ile
            ja jak jako je jego jej jest jestem już kiedy kto która które który lub ma mam
            mi mnie może na nad nas nasz nie nim o od oraz po pod przed przez przy są się
            sobie tak też to tym tylko w we wszystko z za ze że""",
        "tr": """ama ben beni bir bu çok da daha de değil diye en gibi hangi hem her için
            ile ise kadar ki kim mi mı mu mü ne neden nerede o olan olarak onu onun sen
            sonra şey şu var ve veya ya yok""",
        "ru": """а без бы был была были было в вам вас вот все всё вы где да для до его ее
            её если есть ещё и из или им их к как какая какие какой когда кого кто ли меня
            мне мой моя мы на над нас не него нет ни но о об он она они от по под при с
            сколько со так также там то только ты у уже что чтобы это этот я""",
    }.items()
}
